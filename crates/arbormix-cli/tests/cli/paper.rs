//! `paper`: the layout of the paper, on stand-ins for its data.

use crate::support::{Folder, table};

/// An ARFF file with its label file, by way of the tool's own reader's format.
fn stand_in(folder: &Folder, name: &str, seed: u64) {
    let rows: String = table(60, seed).lines().skip(1).map(|line| format!("{line}\n")).collect();
    let header = format!(
        "@relation {name}\n@attribute size numeric\n@attribute fur numeric\n@attribute cat {{0,1}}\n@attribute pet {{0,1}}\n@data\n"
    );
    folder.write(&format!("{name}.arff"), header + &rows);
    folder.write(&format!("{name}.xml"), "<labels><label name=\"cat\"/><label name=\"pet\"/></labels>");
    folder.write(&format!("{name}.txt"), (0..60).map(|row| format!("{}\n", row % 3)).collect::<String>());
}

#[test]
fn the_tables_have_the_papers_layout_with_ours_beside() {
    let folder = Folder::new();
    stand_in(&folder, "emotions", 3);
    stand_in(&folder, "rcv1subset2-top10", 4);
    stand_in(&folder, "rcv1subset2-repaired-top10", 5);
    folder.write("rcv1subset2.txt", folder.read("emotions.txt"));
    let paper = "paper --data . --folds . --repaired . --methods br,ecc,mlme";
    let ran = folder.run(paper);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(ran.stderr.contains("note: .: there is no yeast.arff or yeast.arff.gz"), "{}", ran.stderr);
    let text = ran.stdout;
    let header = "| data set | BR | CHF | MLKNN | IBLR | CC | ECC | PCC | MMOC | CTBN | ML-ME |";
    for part in [
        header,
        "\n| emotions | ",
        "\n| rcv1.sub2 | ",
        "\n| rcv1.sub2 repaired | ",
        "<br>0.265 ∗<br>",
        "| the paper | 9 of 10",
    ] {
        assert!(text.contains(part), "{part} is not in\n{text}");
    }
    // Methods that were not asked for show the published figure alone; MMOC has none on RCV1.
    assert!(text.contains("| –<br>0.300 ∗ |") && text.contains("| –<br>– |"), "{text}");
    assert!(text.contains("## How often ML-ME is the best"), "{text}");
    // Finished cells are used again: the same bytes.
    assert_eq!(folder.succeed(&format!("{paper} --quiet")), text);
    let wrong = folder.run("paper --data . --only emotion --quiet");
    assert_eq!(wrong.code, 2);
    assert!(wrong.stderr.starts_with("error: --only emotion: the paper has emotions, image,"), "{}", wrong.stderr);
    let absent = folder.run("paper --data . --only yeast --quiet");
    assert_eq!((absent.code, absent.stderr.as_str()), (1, "error: .: there is no yeast.arff or yeast.arff.gz\n"));
}

#[test]
fn fetched_files_are_found_and_parts_are_joined() {
    let folder = Folder::new();
    for (name, rows) in [("scene-train", 40), ("scene-test", 20)] {
        let rows: String = table(rows, 7).lines().skip(1).map(|line| format!("{line}\n")).collect();
        let header =
            "@relation s\n@attribute size numeric\n@attribute fur numeric\n@attribute cat {0,1}\n@attribute pet {0,1}";
        folder.write(&format!("{name}.arff"), format!("{header}\n@data\n{rows}"));
    }
    folder.write("scene.xml", "<labels><label name=\"cat\"/><label name=\"pet\"/></labels>");
    std::fs::create_dir_all(folder.path("cache/scene")).unwrap();
    for file in ["scene-train.arff", "scene-test.arff", "scene.xml"] {
        std::fs::rename(folder.path(file), folder.path(&format!("cache/scene/{file}"))).unwrap();
    }
    let json = folder.json("paper --data cache --only scene --methods br --json --quiet");
    assert_eq!((&json["data"][0]["name"], &json["data"][0]["rows"]), (&"scene".into(), &60.into()));
    let figure = &json["published"][0];
    assert_eq!((&figure["measure"], &figure["method"]), (&"exact_match".into(), &"br".into()));
    assert!(figure["value"].is_f64() && figure["ours"].is_f64() && figure["standard_errors"].is_f64(), "{figure}");
    let overwritten = folder.run("paper --data cache --methods br -o cache/scene/scene-test.arff --quiet");
    assert!(overwritten.code == 2 && overwritten.stderr.contains("is read by this command"), "{}", overwritten.stderr);
    assert!(folder.run("paper --data cache --methods br,br --quiet").stderr.contains("named twice"));
    assert!(folder.json("paper --published --json").as_array().unwrap().len() > 300);
}
